SELECT id, version, doc FROM titles ORDER BY id
