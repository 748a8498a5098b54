"""Text for people, made from the reports of the child."""
