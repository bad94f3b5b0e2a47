"""The recipe that makes Menagerie's embedded weights: data, train, clean, calibrate, evaluate, export, probe."""
