DELETE FROM title_data WHERE title = $1
