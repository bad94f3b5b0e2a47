"""The head `drawings` of both stages: whether a picture is drawn, and which animal it shows."""
