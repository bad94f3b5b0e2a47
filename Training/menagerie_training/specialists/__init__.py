"""A network for one kind of animal alone, all of its layers tuned: asked where the cascade is not sure of a breed."""
