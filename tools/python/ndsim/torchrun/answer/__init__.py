"""What is said after a run: where the time went, as text and for programs."""
