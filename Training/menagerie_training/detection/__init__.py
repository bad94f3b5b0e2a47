"""The detector's recipe: NanoDet-Plus read from its public file, tuned on boxes, measured, exported."""
