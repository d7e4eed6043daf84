SELECT count(*) FROM title_data WHERE title = $1 AND internal = $2 AND key <> $3
