"""Process groups: collectives and messages between ranks, their data, and what waits for them."""
