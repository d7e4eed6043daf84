SELECT doc FROM titles WHERE id = $1
