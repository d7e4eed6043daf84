DELETE FROM player_contact_mails WHERE title = $1 AND player = $2
