"""Parameters of robots from measurements: data, processing, estimators, results, exciting motions."""
