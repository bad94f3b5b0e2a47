"""A network for only one kind of animal, with all layers tuned. It is asked if the cascade is not sure of a breed."""
