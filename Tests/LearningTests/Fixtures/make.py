#!/usr/bin/env python3
"""Makes logistic.json: the results of scikit-learn's LogisticRegression, for comparison with ours.

    pip install scikit-learn==1.9.1 && python3 Tests/LearningTests/Fixtures/make.py

The features are generated: clusters of points, five classes of unequal size, and features of unequal scale.
"""

import json
import pathlib

import numpy as np
from sklearn.linear_model import LogisticRegression

CASES = [  # (name, λ, class_weight)
    ("weak", 0.1, None),
    ("usual", 1.0, None),
    ("strong", 50.0, None),
    ("balanced", 1.0, "balanced"),
]


def main():
    random = np.random.default_rng(18)
    sizes = [60, 40, 25, 12, 5]
    centres = random.normal(0, 1.2, (5, 21))
    scales = random.uniform(0.2, 3, 21)
    rows, classes = [], []
    for index, size in enumerate(sizes):
        rows.append((centres[index] + random.normal(0, 1, (size, 21))) * scales)
        classes += [index] * size
    # Four decimals, as the file has them, in the precision of features.
    features = np.concatenate(rows).round(4).astype(np.float32)
    classes = np.array(classes)
    document = {
        "features": [[round(float(value), 4) for value in row] for row in features],
        "classes": classes.tolist(),
        "cases": [],
    }
    for name, strength, weight in CASES:
        model = LogisticRegression(C=1 / strength, class_weight=weight, tol=1e-12, max_iter=100_000)
        model.fit(features.astype(np.float64), classes)
        document["cases"].append({
            "name": name, "regularisation": strength, "balanced": weight == "balanced",
            "weights": model.coef_.tolist(), "bias": model.intercept_.tolist(),
            "probabilities": model.predict_proba(features.astype(np.float64)[::7]).tolist(),
        })
    path = pathlib.Path(__file__).with_name("logistic.json")
    path.write_text(json.dumps(document) + "\n")


if __name__ == "__main__":
    main()
