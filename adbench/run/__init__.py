"""The main job: which cells there are, measuring them, and telling how it goes."""
