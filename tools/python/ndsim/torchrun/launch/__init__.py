"""Starts ranks, lets them meet and watches them: everything before and around a script."""
