import Testing
@testable import HTTP

@Suite struct ConnectionStateMachineTests {
    private func serving(
        _ framing: BodyFraming = .none, keepsAlive: Bool = true, expectsContinue: Bool = false
    ) -> ConnectionStateMachine {
        var machine = ConnectionStateMachine()
        machine.receivedHead(framing: framing, keepsAlive: keepsAlive, expectsContinue: expectsContinue)
        return machine
    }

    @Test func timersFollowTheRequest() {
        var machine = ConnectionStateMachine()
        #expect(machine.timer == .idle)
        machine.receivedPartOfHead()
        #expect(machine.timer == .header)
        machine.receivedHead(framing: .length(5), keepsAlive: true, expectsContinue: false)
        #expect(machine.timer == .body)
        machine.pauseBody()
        #expect(machine.timer == nil)
        #expect(!machine.wantsInput)
        #expect(machine.resumeBody() == false)
        #expect(machine.wantsInput)
        #expect(machine.receivedBody(5) == .deliver)
        #expect(machine.requestEnded() == false)
        #expect(machine.timer == nil)
        #expect(!machine.wantsInput)
        #expect(machine.startResponse(wantsClose: false, isWhole: true) == true)
        machine.responseEnded()
        #expect(machine.isIdle)
        #expect(machine.timer == .idle)
    }

    @Test func aNextRequestWaitsForTheAnswer() {
        var machine = serving()
        #expect(!machine.wantsInput)
        #expect(machine.startResponse(wantsClose: false, isWhole: true) == true)
        machine.responseEnded()
        #expect(machine.isIdle)
        #expect(machine.wantsInput)
    }

    @Test func closesWhenAnyoneAsksForIt() {
        var client = serving(keepsAlive: false)
        #expect(client.startResponse(wantsClose: false, isWhole: true) == false)
        client.responseEnded()
        #expect(client.isClosing)
        var handler = serving()
        #expect(handler.startResponse(wantsClose: true, isWhole: true) == false)
        handler.responseEnded()
        #expect(handler.isClosing)
        var server = serving()
        server.drain()
        #expect(!server.isIdle)
        #expect(server.startResponse(wantsClose: false, isWhole: true) == false)
        server.responseEnded()
        #expect(server.isClosing)
    }

    @Test func aClosingConnectionLingersUntilTheClientIsDone() {
        var machine = serving(keepsAlive: false)
        _ = machine.startResponse(wantsClose: false, isWhole: true)
        machine.responseEnded()
        #expect(machine.isClosing)
        #expect(machine.isClosing)
        #expect(machine.flushedWhileClosing() == true)
        #expect(machine.timer == .linger)
        #expect(machine.wantsInput)
        #expect(machine.peerShut() == .close)
    }

    @Test func continueIsSentOnceAndOnlyBeforeAnAnswer() {
        var machine = serving(.length(5), expectsContinue: true)
        #expect(machine.timer == nil)
        #expect(machine.resumeBody() == true)
        #expect(machine.resumeBody() == false)
        var answered = serving(.length(5), expectsContinue: true)
        #expect(answered.startResponse(wantsClose: false, isWhole: true) == false)
        #expect(answered.resumeBody() == false)
        answered.responseEnded()
        #expect(answered.isClosing)
    }

    @Test func aSmallRestOfABodyIsDiscarded() {
        var machine = serving(.length(100))
        #expect(machine.startResponse(wantsClose: false, isWhole: true) == true)
        machine.responseEnded()
        #expect(machine.isServing && machine.wantsInput)
        #expect(machine.wantsInput)
        #expect(machine.receivedBody(100) == .discard)
        #expect(machine.requestEnded() == true)
        #expect(machine.isIdle)
    }

    @Test func aLargeRestClosesTheConnection() {
        var machine = serving(.length(ConnectionStateMachine.discardLimit + 1))
        #expect(machine.startResponse(wantsClose: false, isWhole: true) == false)
        machine.responseEnded()
        #expect(machine.isClosing)
        var unknown = serving(.chunked)
        #expect(unknown.startResponse(wantsClose: false, isWhole: true) == false)
        unknown.responseEnded()
        #expect(unknown.isClosing)
        var chunked = serving(.chunked)
        #expect(chunked.startResponse(wantsClose: false, isWhole: false) == true)
        chunked.responseEnded()
        #expect(chunked.isServing && chunked.wantsInput)
        #expect(chunked.receivedBody(ConnectionStateMachine.discardLimit) == .discard)
        #expect(chunked.receivedBody(1) == .close)
    }

    @Test func theEndOfTheClientsSide() {
        var idle = ConnectionStateMachine()
        #expect(idle.peerShut() == .close)
        var reading = serving(.length(5))
        #expect(reading.peerShut() == .failBody)
        var waiting = serving()
        #expect(waiting.peerShut() == .none)
        #expect(waiting.startResponse(wantsClose: false, isWhole: true) == true)
        waiting.responseEnded()
        #expect(waiting.isIdle)
    }

    @Test func timeouts() {
        var idle = ConnectionStateMachine()
        #expect(idle.timedOut(.idle) == .close)
        #expect(idle.timedOut(.body) == .none)
        var head = ConnectionStateMachine()
        head.receivedPartOfHead()
        #expect(head.timedOut(.header) == .answer)
        var body = serving(.chunked)
        #expect(body.timedOut(.body) == .failBody)
        #expect(body.requestFailed() == true)
        #expect(!body.wantsInput)
        #expect(body.startResponse(wantsClose: false, isWhole: true) == false)
        body.responseEnded()
        #expect(body.isClosing)
    }

    @Test func drainingClosesOnlyWhatIsIdle() {
        var idle = ConnectionStateMachine()
        idle.drain()
        #expect(idle.isIdle)
        var head = ConnectionStateMachine()
        head.receivedPartOfHead()
        head.drain()
        #expect(!head.isIdle)
    }

    #if DEBUG
        /// Without the check each transition would silently overwrite the state. Optimised code has no assertions.
        @Test func illegalTransitionsStopTheProcess() async {
            await #expect(processExitsWith: .failure) {
                var machine = ConnectionStateMachine()
                machine.receivedHead(framing: .none, keepsAlive: true, expectsContinue: false)
                machine.receivedHead(framing: .none, keepsAlive: true, expectsContinue: false)
            }
            await #expect(processExitsWith: .failure) {
                var machine = ConnectionStateMachine()
                machine.upgraded()
            }
            await #expect(processExitsWith: .failure) {
                var machine = ConnectionStateMachine()
                machine.responseEnded()
            }
            await #expect(processExitsWith: .failure) {
                var machine = ConnectionStateMachine()
                machine.close()
                machine.answeredAndClosing()
            }
        }
    #endif
}
