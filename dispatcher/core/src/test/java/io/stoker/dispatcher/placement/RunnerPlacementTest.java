package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.NodeMachine;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.AttemptRow.State;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs go where their type is served, their user is, and a slot is free. */
class RunnerPlacementTest {
  private final List<QueueHead> heads = new ArrayList<>();
  private final List<AttemptRow> open = new ArrayList<>();

  @Test
  void aJobGoesToAHostThatServesItsType() {
    line("s", aRequest("r").resource("type", "ssh"));
    line("c", aRequest("r"));

    Decision decision =
        decide(aHost("far").cpuSlots(0).runner("ssh", 2), aHost("near").runner("cpu", 4));

    assertThat(decision.assignments())
        .containsExactlyInAnyOrder(
            new Assignment("s", "far", new Takes.Remote("ssh", 0)),
            new Assignment("c", "near", Takes.of(0, 1)));
  }

  @Test
  void oneThatNobodyServesSaysSoAndWhatIsServed() {
    line("s", aRequest("r").resource("type", "aws"));

    Decision decision = decide(aHost("a").runner("cpu", 4), aHost("b").runner("ssh", 1));

    assertThat(decision.unplaced().get("s"))
        .isEqualTo(UnschedulableReason.never("no host serves type aws; what they serve: cpu, ssh"));
    assertThat(answers("s", aHost("a").runner("cpu", 4).runner("gpu", 0)))
        .containsExactly(
            new HostAnswer("a", FilterFailure.NO_SUCH_RUNNER, "serves cpu, gpu, and not aws"));
  }

  @Test
  void anAgentThatDoesNotTellServesProcessesAlone() {
    line("p", aRequest("r").resource("type", "passive"));
    line("c", aRequest("r"));

    Decision decision = decide(aHost("old"));

    assertThat(decision.assignments()).extracting(Assignment::job).containsExactly("c");
    assertThat(decision.unplaced().get("p").reason())
        .isEqualTo(UnschedulableReason.Reason.UNSATISFIABLE);
  }

  @Test
  void noMoreAreGivenThanThereAreSlotsLessWhatIsOpen() {
    open.add(attempt("x", "ssh", 0));
    open.add(attempt("y", null, 1));
    IntStream.range(0, 4).forEach(i -> line("j" + i, aRequest("r").resource("type", "ssh")));

    Decision decision = decide(aHost("h1").runner("ssh", 3));

    assertThat(decision.assignments()).extracting(Assignment::job).containsExactly("j0", "j1");
    assertThat(decision.unplaced().get("j2"))
        .isEqualTo(UnschedulableReason.noRoom(1, "a slot of runner ssh"));
    assertThat(answers("j2", aHost("h1").runner("ssh", 1)))
        .containsExactly(
            new HostAnswer("h1", FilterFailure.BUSY, "has no slot of runner ssh free now"));
  }

  @Test
  void aJobWithGpusElsewhereGoesWhereAMachineHasAsMany() {
    line("two", aRequest("r").resource("type", "ssh").gpus(2));

    Decision decision =
        decide(
            aHost("silent").gpus(8).runner("ssh", 9).runner("gpu", 8),
            aHost("small").runner("ssh", 9, 1),
            aHost("large").runner("ssh", 1, 2));

    assertThat(decision.assignments())
        .containsExactly(new Assignment("two", "large", new Takes.Remote("ssh", 2)));
  }

  @Test
  void whereNoMachineHasAsManyGpusThatIsSaid() {
    line("four", aRequest("r").resource("type", "ssh").gpus(4));
    AHost two = aHost("h1").gpus(8).runner("gpu", 8).runner("ssh", 9, 2);

    assertThat(decide(two, aHost("h2").runner("ssh", 1)).unplaced().get("four"))
        .isEqualTo(
            UnschedulableReason.never(
                "no host has a machine with 4 GPU(s) for type ssh; the most that one has is 2"));
    assertThat(answers("four", two))
        .containsExactly(
            new HostAnswer(
                "h1",
                FilterFailure.TOO_FEW_GPUS,
                "does not have a machine with 4 GPU(s) for type ssh; the most that one has is"
                    + " 2"));
  }

  @Test
  void aJobThatNamesADeviceElsewhereGoesWhereAMachineHasIt() {
    line("id", aRequest("r").resource("type", "ssh").gpus(1).resource("device", "GPU-5e"));
    line("nth", aRequest("r").resource("type", "ssh").gpus(1).resource("device", "cuda:2"));
    line("none", aRequest("r").resource("type", "ssh").gpus(1).resource("device", "7"));
    AHost plain = aHost("plain").gpus(8).runner("gpu", 8).runner("ssh", 9, 8);
    AHost uuid = aHost("uuid").runner("ssh", 9, machine(null, "0", "GPU-5e"));
    AHost three = aHost("three").runner("ssh", 9, machine(null, "0", "1", "2"));

    Decision decision = decide(plain, uuid, three);

    assertThat(decision.assignments())
        .containsExactlyInAnyOrder(
            new Assignment("id", "uuid", new Takes.Remote("ssh", 1)),
            new Assignment("nth", "three", new Takes.Remote("ssh", 1)));
    assertThat(decision.unplaced().get("none"))
        .isEqualTo(UnschedulableReason.never("no host has a machine with device 7 for type ssh"));
    assertThat(answers("none", uuid))
        .containsExactly(
            new HostAnswer(
                "uuid",
                FilterFailure.NO_SUCH_DEVICE,
                "does not have a machine with device 7 for type ssh"));
  }

  @Test
  void aJobWithGpuMemoryElsewhereGoesWhereAMachineIsSaidToHaveIt() {
    line("much", aRequest("r").resource("type", "ssh").gpus(2).resource("gpuMemory", "40GiB"));
    AHost unsaid = aHost("unsaid").runner("ssh", 9, machine(null, "0", "1"));
    AHost mixed = aHost("mixed").runner("ssh", 9, machine(24L, "0", "1", "2"), machine(80L, "0"));
    AHost large = aHost("large").runner("ssh", 9, machine(40L, "0", "1"));

    assertThat(decide(unsaid, mixed, large).assignments())
        .containsExactly(new Assignment("much", "large", new Takes.Remote("ssh", 2)));
    assertThat(decide(unsaid, mixed).unplaced().get("much"))
        .isEqualTo(
            UnschedulableReason.never(
                "no host has a machine with 2 GPU(s) of 40 GiB for type ssh; the most that one is"
                    + " said to have is 24 GiB"));
    assertThat(answers("much", unsaid))
        .containsExactly(
            new HostAnswer(
                "unsaid",
                FilterFailure.TOO_LITTLE_GPU_MEMORY,
                "does not have a machine with 2 GPU(s) of 40 GiB for type ssh; how much theirs"
                    + " have no mapping says (gpu-memory=…)"));
  }

  private static NodeMachine machine(Long gib, String... gpus) {
    return new NodeMachine(List.of(gpus), gib == null ? null : Long.valueOf(gib << 30));
  }

  @Test
  void gpusOfAMachineElsewhereCountWhenItIsDecidedWhoseTurnItIs() {
    open.add(attempt("a", "x", "ssh", 0, 2));
    line("first", aRequest("r").queue("a").resource("type", "ssh").gpus(1));
    line("later", aRequest("r").queue("b").resource("type", "ssh").gpus(1));
    Snapshot all = snapshot(aHost("h1").runner("ssh", 2, 2));
    FairShare shares = new FairShare(new Queues(List.of()), new Decay(3_600_000));

    assertThat(PlacementPass.decide(all, 60_000).assignments())
        .as("nobody has had anything")
        .extracting(Assignment::job)
        .containsExactly("first");
    var standings = shares.standings(List.of(), open, List.of(), 1_000);
    assertThat(standings.get("a").used().gpuMs()).isPositive();
    assertThat(PlacementPass.decide(all.shared(standings, List.of(), 1_000), 60_000).assignments())
        .extracting(Assignment::job)
        .containsExactly("later");
  }

  @Test
  void whatAPassGivesOfAMachineElsewhereIsChargedAtOnce() {
    line("a1", aRequest("r").queue("a").resource("type", "ssh").gpus(4));
    line("a2", aRequest("r").queue("a").resource("type", "ssh").gpus(4));
    line("b1", aRequest("r").queue("b").resource("type", "ssh").gpus(1));
    line("b2", aRequest("r").queue("b").resource("type", "ssh").gpus(1));

    assertThat(decide(aHost("h1").runner("ssh", 3, 4)).assignments())
        .extracting(Assignment::job)
        .containsExactly("a1", "b1", "b2");
  }

  @Test
  void gpusOfAMachineElsewhereAreNoneOfTheHosts() {
    open.add(attempt("x", "ssh", 0, 2));
    line("near", aRequest("r").gpus(2));

    assertThat(decide(aHost("h1").gpus(2).runner("gpu", 2).runner("ssh", 2, 2)).assignments())
        .containsExactly(new Assignment("near", "h1", Takes.of(2, 0)));
  }

  @Test
  void noCpuSlotTakesThePlaceOfAGpuElsewhere() {
    line("one", aRequest("r").resource("type", "ssh").gpus(1));

    assertThat(decide(aHost("h1").runner("cpu", 4).runner("ssh", 9)).assignments()).isEmpty();
  }

  @Test
  void theLastHeartbeatSaysHowManySlotsThereAreNow() {
    IntStream.range(0, 4).forEach(i -> line("j" + i, aRequest("r").resource("type", "ssh")));

    assertThat(decide(aHost("h1").runner("ssh", 3).nowHas("ssh", 1)).assignments()).hasSize(1);
    assertThat(decide(aHost("h1").runner("ssh", 3).nowHas("aws", 9)).assignments()).hasSize(3);
  }

  @Test
  void aContainerTakesAGpuAndASlot() {
    line("a", aRequest("r").with("image", "i").gpus(1));
    line("b", aRequest("r").with("image", "i").gpus(1));
    line("c", aRequest("r").with("image", "i").resource("cpus", 2));

    Decision decision = decide(aHost("h1").gpus(2).runner("container", 2));

    assertThat(decision.assignments())
        .containsExactly(
            new Assignment("a", "h1", new Takes.OnGpus(1, null, null, "container")),
            new Assignment("b", "h1", new Takes.OnGpus(1, null, null, "container")));
    assertThat(decision.unplaced().get("c").sentence())
        .isEqualTo(
            "none of 1 able host(s) has 2 CPU slot(s) and a slot of runner container free now");
  }

  @Test
  void aContainerThatFindsNoGpuFreeWaitsThoughThereIsASlot() {
    open.add(attempt("x", null, 0, 1));
    line("a", aRequest("r").with("image", "i").gpus(1));

    assertThat(decide(aHost("h1").gpus(1).runner("container", 5)).assignments()).isEmpty();
  }

  @Test
  void aHostThatListsItsUsersServesNobodyElse() {
    line("ann", aRequest("r").with("user", "ann"));
    line("bob", aRequest("r").with("user", "bob"));
    line("nobody", aRequest("r"));

    Decision decision = decide(aHost("hers").users("ann", "eve"));

    assertThat(decision.assignments()).extracting(Assignment::job).containsExactly("ann");
    assertThat(decision.unplaced().get("bob"))
        .isEqualTo(UnschedulableReason.never("no host serves user bob"));
    assertThat(decision.unplaced().get("nobody").sentence())
        .isEqualTo("no host serves requests without user");
    assertThat(answers("bob", aHost("hers").users("ann", "eve")))
        .containsExactly(
            new HostAnswer(
                "hers", FilterFailure.NOT_FOR_USER, "serves users ann, eve, and not bob"));
  }

  @Test
  void itsPoolsServeItsUsersAlone() {
    line("ann", aRequest("r").workers("iris").with("user", "ann"));
    line("bob", aRequest("r").workers("iris").with("user", "bob"));

    assertThat(decide(aHost("h").users("ann").pool("iris", 9)).assignments())
        .extracting(Assignment::job)
        .containsExactly("ann");
  }

  @Test
  void noRoomIsKeptOfARunnerElsewhere() {
    open.add(attempt("x", "ssh", 0));
    line("a", aRequest("r").resource("type", "ssh"));

    assertThat(PlacementPass.decide(snapshot(aHost("h1").runner("ssh", 1)), -1).reservations())
        .isEmpty();
  }

  @Test
  void aHostWithSlotsHasRoom() {
    var host = snapshot(aHost("h1").cpuSlots(0).runner("ssh", 70)).hosts().getFirst();
    assertThat(host.hasRoom()).isTrue();
    Shape remote = Shape.of(aRequest("r").resource("type", "ssh").build());
    assertThat(Lookback.of(List.of(host)).of(remote, 1_000)).isEqualTo(70);
  }

  @Test
  void jobsSeeByWhatTheyAreRun() {
    Shape process = Shape.of(aRequest("r").build());
    Shape remote = Shape.of(aRequest("r").resource("type", "ssh").with("user", "ann").build());
    assertThat(Shape.visible(remote.text())).isNotEqualTo(Shape.visible(process.text()));
    assertThat(Shape.parse(remote.text())).isEqualTo(remote);
  }

  private void line(String job, ARequest request) {
    var built = request.build();
    heads.add(
        QueueHeads.head(
            job, built.queue(), Shape.of(built), 0, heads.size() + 1, List.of(), Set.of()));
  }

  private static AttemptRow attempt(String job, String runner, int slots) {
    return attempt(job, runner, slots, 0);
  }

  private static AttemptRow attempt(String job, String runner, int slots, int gpus) {
    return attempt("default", job, runner, slots, gpus);
  }

  private static AttemptRow attempt(String queue, String job, String runner, int slots, int gpus) {
    return anAttempt(job)
        .queue(queue)
        .heard(State.RUNNING, 0)
        .gpus(gpus)
        .cpuSlots(slots)
        .devices(gpus > 0 ? List.of("0") : List.of())
        .runner(runner)
        .row();
  }

  private Snapshot snapshot(AHost... hosts) {
    List<AHost> all = List.of(hosts);
    return FleetView.of(
        all.stream().map(AHost::row).toList(),
        open,
        heads,
        host -> true,
        host ->
            all.stream()
                .filter(one -> one.row().id().equals(host))
                .map(AHost::heartbeat)
                .findFirst()
                .or(Optional::empty),
        shape -> Set.of());
  }

  private Decision decide(AHost... hosts) {
    return PlacementPass.decide(snapshot(hosts), 60_000);
  }

  private List<HostAnswer> answers(String job, AHost... hosts) {
    QueueHead head = heads.stream().filter(one -> one.job().equals(job)).findFirst().orElseThrow();
    return HostAnswer.of(snapshot(hosts), head);
  }
}
