package io.stoker.agent.aws;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.aws.Ec2.Instance;
import io.stoker.agent.aws.Ec2.State;
import io.stoker.agent.aws.Startup.Decision;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StartupTest {
  private static final String ID = "i-0a1b2c3d";
  private Startup startup = Startup.of(10, Duration.ofSeconds(30)).wanted(0);

  private static Instance in(State state) {
    return new Instance(state, Optional.empty(), Optional.empty());
  }

  private Decision on(State state, long now) {
    return startup.on(ID, in(state), now);
  }

  @Test
  void aStoppedOneIsStartedAndWaitedFor() {
    assertThat(on(State.STOPPED, 0)).isEqualTo(new Decision.Start());
    startup = startup.tried(0, Optional.empty());
    assertThat(on(State.STOPPED, 10_000)).isEqualTo(new Decision.Later(20_000));
    assertThat(on(State.PENDING, 10_000)).isEqualTo(new Decision.Later(5_000));
    assertThat(on(State.RUNNING, 20_000)).as("no address yet").isEqualTo(new Decision.Later(5_000));
    Instance up = new Instance(State.RUNNING, Optional.of("1.2.3.4"), Optional.empty());
    assertThat(startup.on(ID, up, 25_000)).isEqualTo(new Decision.Ready("1.2.3.4"));
  }

  @Test
  void oneThatStopsIsWaitedFor() {
    assertThat(on(State.STOPPING, 0)).isEqualTo(new Decision.Later(5_000));
  }

  @Test
  void withoutCapacityItIsTriedTenTimes() {
    Ec2Exception full = new Ec2Exception(Ec2Exception.Kind.LATER, "InsufficientInstanceCapacity");
    for (int i = 1; i < 10; i++) {
      assertThat(on(State.STOPPED, 30_000L * i)).isEqualTo(new Decision.Start());
      startup = startup.tried(30_000L * i, Optional.of("full"));
      assertThat(startup.onFailure(full)).isEqualTo(new Decision.Later(30_000));
    }
    startup = startup.tried(300_000, Optional.of("full"));
    assertThat(startup.onFailure(full))
        .isEqualTo(
            new Decision.Never("InsufficientInstanceCapacity (10 tries, 30 s apart)", false));
  }

  @Test
  void oneThatFallsBackAgainAndAgainIsGivenUp() {
    for (int i = 0; i < 10; i++) {
      startup = startup.tried(30_000L * i, Optional.empty());
    }
    Instance fallen =
        new Instance(State.STOPPED, Optional.empty(), Optional.of("no capacity in the zone"));
    assertThat(startup.on(ID, fallen, 290_000))
        .isEqualTo(
            new Decision.Never(
                "instance i-0a1b2c3d did not start in 10 tries: no capacity in the zone", false));
  }

  @Test
  void oneThatNeverArrivesIsGivenUp() {
    assertThat(on(State.PENDING, 300_000)).isEqualTo(new Decision.Later(5_000));
    assertThat(on(State.PENDING, 300_001))
        .isEqualTo(new Decision.Never("instance i-0a1b2c3d is still pending after 300 s", false));
  }

  @Test
  void whatAPersonMustSolveIsNotTriedAgain() {
    assertThat(
            startup.onFailure(
                new Ec2Exception(Ec2Exception.Kind.PERSON, "UnauthorizedOperation: no")))
        .isEqualTo(new Decision.Never("UnauthorizedOperation: no", false));
  }

  @Test
  void aTerminatedOneIsGone() {
    assertThat(on(State.TERMINATED, 0))
        .isEqualTo(new Decision.Never("instance i-0a1b2c3d is terminated", true));
  }
}
