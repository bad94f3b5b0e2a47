import ArgumentParser
import Base
import Foundation
import Recognition
import Training

/// `menagerie train DIR --name NAME`: trains a model as `POST /training` does, without a server.
struct TrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "train", abstract: "Trains a classifier on folders of photos.",
        discussion: """
            DIR has one folder for each class, named after it, or is a ZIP or TAR archive of such folders. The result is a \
            model like any other: `model=NAME` on the service, once it is deployed (--deploy, or PUT \
            /training/{id}/deployment), NAME@VERSION at once. A name that was trained before gets a new version. The same \
            photos and seed give the same weights.
            """)

    @Argument(help: "Folder or archive with one folder for each class.")
    var photos: String

    @Option(name: .long, help: "Name of the model: a-z, 0-9, _ and -.")
    var name: String

    @Option(name: .long, help: "Model whose features are used; by default recognition.default_model.")
    var base: String?

    @Option(name: .long, help: "Share of each class that is held out for measuring, 0 to 0.5.")
    var validation = 0.2

    @Option(name: .long, help: "Largest number of iterations, 1 to 1000.")
    var iterations = 50

    @Option(
        name: .long,
        help: "none, or a list of mirror, blur, crop and colour. The default depends on the number of photos.")
    var augment: String?

    @Option(name: .long, help: "Seed for choosing the photos to hold out.")
    var seed: UInt64 = 1

    @Option(name: .long, help: "automatic, logistic or prototypes.")
    var method = "automatic"

    @Flag(name: .long, help: "Deploys the result at once.")
    var deploy = false

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        _ = try trainingOptions()
    }

    private func trainingOptions() throws -> TrainingOptions {
        guard ModelReference.isName(name) else { throw ValidationError("\(TrainingError.invalidName(name))") }
        guard TrainingOptions.validationRange.contains(validation) else {
            throw ValidationError("--validation has to be from 0 to 0.5.")
        }
        guard TrainingOptions.iterationsRange.contains(iterations) else {
            throw ValidationError("--iterations has to be from 1 to 1000.")
        }
        guard let method = TrainingOptions.Method(rawValue: method) else {
            throw ValidationError("--method has to be automatic, logistic or prototypes.")
        }
        let words = augment?.split(separator: ",").map(String.init).filter { $0 != "none" }
        let views = try words?.map { word in
            guard let view = PictureView(rawValue: word), view != .plain else {
                throw ValidationError("--augment has to be none, or a list of mirror, blur, crop and colour.")
            }
            return view
        }
        var options = TrainingOptions(name: name)
        options.base = base
        options.validation = validation
        options.iterations = iterations
        options.augment = views
        options.seed = seed
        options.deploy = deploy
        options.method = method
        return options
    }

    func run() async throws {
        try await options.run { settings in try await train(settings) }
    }

    private func train(_ settings: Settings) async throws {
        let configuration = try TrainingService.Configuration(settings)
        let recogniser = try await Application.startRecogniser(settings)
        defer { recogniser.stop() }
        let wanted = try trainingOptions()
        let folder = TrainedModelFolder(root: configuration.models)
        guard name != recogniser.defaultModel,
            recogniser.models.store.versions(of: name).isEmpty || folder.owns(name)
        else { throw TrainingError.takenName(name) }
        try folder.requireWritable()
        let trainer = Trainer(recogniser: recogniser, cache: configuration.cache, cores: configuration.cores)
        let show = TrainingDisplay()
        let outcome = try await trainer.train(try await LabelledFiles(photos).source(configuration.limits), wanted) {
            show.take($0)
        }
        let version = folder.nextVersion(of: name)
        try folder.place(outcome, training: ULID.next(), name: name, version: version, store: recogniser.models.store)
        print(outcome.report.markdown, terminator: "")
        if deploy {
            _ = try recogniser.models.load(name, version: version)
            var deployment = recogniser.models.store.deployment(of: name) ?? ModelDeployment()
            deployment.deploy(version)
            try folder.write(deployment, of: name)
        }
        print(
            "\n\(name)@\(version) lies in \(folder.folder(name, version))"
                + (deploy ? " and answers for its name." : "."))
    }
}

/// Shows a progress bar while photos are read, then prints a line for every few iterations.
private final class TrainingDisplay: Sendable {
    private let bar = ProgressBar(unit: "photos")
    private let lines = Locked(())

    func take(_ progress: Trainer.Progress) {
        lines.withLock { _ in
            switch progress {
            case .listed(let classes, _):
                print(
                    "\(counted(classes.count, "class", "classes")), \(counted(classes.reduce(0) { $0 + $1.photos }, "photo"))"
                )
            case .looked(let done, let total): bar.show(done, of: total)
            case .fitting(_, let skipped):
                bar.finish()
                if !skipped.isEmpty { print("\(counted(skipped.count, "file")) left out") }
            case .iteration(let step):
                guard step.iteration <= 5 || step.iteration % 5 == 0 else { return }
                let held = step.validationAccuracy.map { String(format: ", validation %.1f %%", $0 * 100) } ?? ""
                print(
                    String(
                        format: "iteration %3d  loss %.4f  training %.1f %%", step.iteration, step.loss,
                        step.trainingAccuracy * 100) + held)
            }
        }
    }
}
