SELECT code, since, born, name, deposit, rate, maximum FROM economy_currencies
WHERE title = $1 ORDER BY code, since
