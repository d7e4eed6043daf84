DELETE FROM titles WHERE id = $1
