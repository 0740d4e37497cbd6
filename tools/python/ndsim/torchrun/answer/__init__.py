"""The report after a run: where the time went, as text and as JSON."""
