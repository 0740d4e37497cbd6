"""What limits a step, and what to try, as options of the framework in use."""
