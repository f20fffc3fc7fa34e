"""What is trained: data, folds and the model that a parameter map describes. Shared by train.py and plot.py.

Imports are made where they are needed: with scikit-learn the start of the interpreter is most of the time of an
evaluation. A parameter map holds the keys that count under it: `svm.kernel` only with the family `svm`, for instance.
"""

FOLDS = 3


def load(dataset):
    """Columns and labels of a dataset that ships with scikit-learn."""
    from sklearn import datasets

    return getattr(datasets, f"load_{dataset}")(return_X_y=True)


def folds(labels, seed):
    """Three stratified folds drawn by the seed, as pairs of row indices (to train on, to test on)."""
    from sklearn.model_selection import StratifiedKFold

    return list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(labels, labels))


def build(parameters, columns, seed):
    """An unfitted pipeline: scaler, reduction, model. Everything is fitted on the training rows only."""
    from sklearn.pipeline import make_pipeline

    steps = [_scaler(parameters), _reduction(parameters, columns, seed), MODELS[parameters["model.family"]](parameters, seed)]
    return make_pipeline(*[step for step in steps if step is not None])


def fit(pipeline, columns, labels, on_epoch, done=0):
    """Fits a pipeline; calls `on_epoch(pipeline)` after each pass of a model that learns in epochs.

    A pipeline whose model has learned for `done` epochs goes on from there, as if it had never stopped. What comes
    before the model is fitted again: it gives the same columns.
    """
    model = pipeline[-1]
    if not hasattr(model, "learning_rate_init"):
        pipeline.fit(columns, labels)
        return
    prepared = pipeline[:-1].fit_transform(columns, labels) if len(pipeline) > 1 else columns
    classes = sorted(set(labels))
    for _ in range(done, model.max_iter):
        model.partial_fit(prepared, labels, classes=classes)
        on_epoch(pipeline)


def _scaler(parameters):
    name = parameters["features.scaler"]
    if name == "none":
        return None
    from sklearn import preprocessing

    return {
        "standard": preprocessing.StandardScaler,
        "minmax": preprocessing.MinMaxScaler,
        "robust": preprocessing.RobustScaler,
    }[name]()


def _reduction(parameters, columns, seed):
    name = parameters["features.reduction"]
    if name == "none":
        return None
    kept = max(1, round(parameters["features.kept"] * columns))
    if name == "pca":
        from sklearn.decomposition import PCA

        return PCA(kept, random_state=seed)
    from sklearn import feature_selection

    return feature_selection.SelectKBest(getattr(feature_selection, parameters["features.score"]), k=kept)


def _class_weight(parameters):
    return "balanced" if parameters["training.balanced"] else None


def _logistic(parameters, seed):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(
        C=1 / parameters["model.regularisation"],
        max_iter=parameters["training.iterations"],
        class_weight=_class_weight(parameters),
        random_state=seed,
    )


def _svm(parameters, seed):
    from sklearn.svm import SVC

    class RelativeSVC(SVC):
        """The kernel width as a multiple of scikit-learn's "scale", which depends on the columns as they arrive."""

        def fit(self, columns, labels):
            self.gamma = parameters.get("svm.gamma", 1) / (columns.shape[1] * (columns.var() or 1))
            return super().fit(columns, labels)

    # The bound on iterations keeps unscaled columns with a weak penalty from running for minutes.
    return RelativeSVC(
        C=1 / parameters["model.regularisation"],
        kernel=parameters["svm.kernel"],
        class_weight=_class_weight(parameters),
        max_iter=20_000,
        random_state=seed,
    )


def _tree_options(parameters, seed):
    return {
        "criterion": parameters["tree.criterion"],
        "max_depth": parameters["tree.depth"],
        "min_samples_leaf": parameters["tree.leaf"],
        "class_weight": _class_weight(parameters),
        "random_state": seed,
    }


def _tree(parameters, seed):
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(**_tree_options(parameters, seed))


def _forest(parameters, seed):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(
        n_estimators=parameters["forest.trees"],
        max_features=parameters["forest.columns"],
        **_tree_options(parameters, seed),
    )


def _knn(parameters, seed):
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(
        parameters["knn.neighbours"], weights=parameters["knn.weights"], metric=parameters["knn.metric"], algorithm="brute"
    )


def _mlp(parameters, seed):
    from numpy.random import RandomState
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier(
        (parameters["mlp.hidden"],),
        activation=parameters["mlp.activation"],
        solver=parameters["mlp.solver"],
        alpha=parameters["mlp.penalty"],
        learning_rate_init=parameters["mlp.rate"],
        max_iter=parameters["mlp.epochs"],
        batch_size=64,
        # A generator, as a number would shuffle the rows of every epoch alike. It is saved with the model.
        random_state=RandomState(seed),
    )


def _bayes(parameters, seed):
    from sklearn import naive_bayes

    if parameters["bayes.kind"] == "gaussian":
        return naive_bayes.GaussianNB(var_smoothing=parameters["bayes.smoothing"])
    return naive_bayes.MultinomialNB(alpha=parameters["bayes.smoothing"])


MODELS = {
    "logistic": _logistic,
    "svm": _svm,
    "tree": _tree,
    "forest": _forest,
    "knn": _knn,
    "mlp": _mlp,
    "naive_bayes": _bayes,
}
