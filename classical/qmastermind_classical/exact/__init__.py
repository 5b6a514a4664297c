"""The exact solver: the least total of guesses over all secrets, proved, with its strategy tree."""
