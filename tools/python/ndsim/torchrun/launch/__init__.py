"""How ranks are started, meet each other and are watched: what stands before and around a script."""
