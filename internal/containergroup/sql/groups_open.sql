SELECT id FROM container_groups WHERE state IN ('Pending', 'Deleting')
