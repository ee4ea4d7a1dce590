package io.stoker.agent.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.ssh.MappingException;
import io.stoker.agent.ssh.Node;
import io.stoker.agent.ssh.Nodes;
import io.stoker.agent.ssh.Nodes.Later;
import io.stoker.agent.ssh.Nodes.Never;
import io.stoker.agent.ssh.Nodes.Readiness;
import io.stoker.agent.ssh.Nodes.Ready;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Instances by Amazon's own client, against a server that speaks its protocol. */
@Timeout(300)
class InstancesTest {
  private static final String ID = "i-0a1b2c3d";
  private static final String NAME = "ubuntu@" + ID + ":22";

  @TempDir Path folder;
  private Ec2Server ec2;
  private Nodes nodes;

  @BeforeEach
  void start() throws IOException {
    System.setProperty("aws.accessKeyId", "test");
    System.setProperty("aws.secretAccessKey", "test");
    ec2 = new Ec2Server();
    ec2.put(ID, "stopped");
    nodes = open(true);
  }

  @AfterEach
  void stop() {
    nodes.close();
    ec2.close();
    System.clearProperty("aws.accessKeyId");
    System.clearProperty("aws.secretAccessKey");
  }

  private Nodes open(boolean shutdown) throws IOException {
    Path mapping = Files.writeString(folder.resolve("instances"), "ubuntu@" + ID + "\n");
    return AwsNodes.open(
        new AwsSettings(
            mapping,
            3,
            Duration.ofMillis(20),
            shutdown,
            Optional.of("eu-central-1"),
            Optional.of(ec2.endpoint()),
            Duration.ofSeconds(60)),
        folder.resolve("data"));
  }

  private Readiness prepared() {
    return await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> nodes.prepare(NAME), now -> !(now instanceof Later));
  }

  @Test
  void aStoppedInstanceIsStartedAndItsAddressTold() {
    nodes.used(NAME, "job-1");

    assertThat(prepared())
        .isEqualTo(new Ready(new Node("ubuntu", "127.0.0.1", 22, Optional.empty(), ID)));
    assertThat(ec2.asked).containsExactly("StartInstances " + ID);
  }

  @Test
  void whatWasStartedIsStoppedWhenTheLastJobIsGone() {
    nodes.used(NAME, "job-1");
    nodes.used(NAME, "job-2");
    prepared();
    prepared();

    nodes.unused(NAME, "job-1");
    nodes.unused(NAME, "job-2");

    await().until(() -> ec2.state(ID).equals("stopped"));
    assertThat(ec2.asked).containsExactly("StartInstances " + ID, "StopInstances " + ID);
  }

  @Test
  void whileAnotherJobUsesItItRuns() throws Exception {
    nodes.used(NAME, "job-1");
    nodes.used(NAME, "job-2");
    prepared();
    nodes.unused(NAME, "job-1");
    nodes.close();
    nodes = open(true);

    nodes.used(NAME, "job-2"); // as the next agent finds it written down
    nodes.settled();
    assertThat(ec2.asked).containsExactly("StartInstances " + ID);

    nodes.unused(NAME, "job-2");
    await().until(() -> ec2.state(ID).equals("stopped"));
  }

  @Test
  void theNextAgentStopsWhatOneThatDiedHadStarted() throws Exception {
    nodes.used(NAME, "job-1");
    prepared();
    nodes.close();
    nodes = open(true);

    nodes.settled();

    await().until(() -> ec2.state(ID).equals("stopped"));
  }

  @Test
  void aStopThatFailsIsTriedAgain() {
    ec2.fail("StopInstances", "RequestLimitExceeded");
    nodes.used(NAME, "job-1");
    prepared();

    nodes.unused(NAME, "job-1");

    await().until(() -> ec2.state(ID).equals("stopped"));
    assertThat(ec2.asked).hasSize(3);
  }

  @Test
  void aStopThatFailsUnexpectedlyIsTriedAgain() throws Exception {
    Node node = new Node("ubuntu", ID, 22, Optional.empty(), ID);
    StartedInstances marks = new StartedInstances(folder.resolve("marks"));
    AtomicInteger stops = new AtomicInteger();
    Ec2 failingOnce =
        new Ec2() {
          @Override
          public Instance describe(String id) {
            return new Instance(State.STOPPED, Optional.empty(), Optional.empty());
          }

          @Override
          public void start(String id) {}

          @Override
          public void stop(String id) {
            if (stops.incrementAndGet() == 1) {
              throw new IllegalStateException("nobody expected it");
            }
          }

          @Override
          public void close() {}
        };
    Instances.Rules rules = new Instances.Rules(3, Duration.ofMillis(20), true);
    try (Instances instances = new Instances(Map.of(NAME, node), failingOnce, rules, marks)) {
      instances.used(NAME, "job-1");
      instances.prepare(NAME);

      instances.unused(NAME, "job-1");

      await().until(() -> marks.all().isEmpty());
    }
    assertThat(stops).hasValue(2);
  }

  @Test
  void whatRanAlreadyIsLeftAlone() {
    ec2.put(ID, "running");
    nodes.used(NAME, "job-1");
    prepared();
    nodes.unused(NAME, "job-1");
    nodes.settled();

    nodes.close(); // waits for nothing: there is nothing under way
    assertThat(ec2.asked).isEmpty();
  }

  @Test
  void withoutShutdownItRunsOn() throws Exception {
    nodes.close();
    nodes = open(false);
    nodes.used(NAME, "job-1");
    prepared();
    nodes.unused(NAME, "job-1");

    nodes.close();
    assertThat(ec2.asked).containsExactly("StartInstances " + ID);
  }

  @Test
  void whatAJobThatWasCancelledHadWaitedIsNotTheNextOnes() throws Exception {
    ec2.put(ID, "pending");
    nodes.used(NAME, "job-1");
    assertThat(nodes.prepare(NAME)).isInstanceOf(Later.class);
    nodes.unused(NAME, "job-1");

    Thread.sleep(100); // longer than it may take in all
    nodes.used(NAME, "job-2");

    assertThat(nodes.prepare(NAME)).isInstanceOf(Later.class);
  }

  @Test
  void withoutCapacityItIsTriedAgain() {
    ec2.fail("StartInstances", "InsufficientInstanceCapacity");

    assertThat(prepared()).isInstanceOf(Ready.class);
    assertThat(ec2.asked).hasSize(2);
  }

  @Test
  void withoutCapacityForGoodItSaysSo() {
    for (int i = 0; i < 3; i++) {
      ec2.fail("StartInstances", "InsufficientInstanceCapacity");
    }

    Never never = (Never) prepared();
    assertThat(never.why())
        .contains("StartInstances of instance " + ID)
        .contains("InsufficientInstanceCapacity: about " + ID)
        .contains("3 tries");
    assertThat(never.gone()).isFalse();
  }

  @Test
  void withoutPermissionItIsNotTriedAgain() {
    ec2.fail("StartInstances", "UnauthorizedOperation");

    assertThat(((Never) prepared()).why()).contains("UnauthorizedOperation");
    assertThat(ec2.asked).hasSize(1);
  }

  @Test
  void aRefusalWithoutACodeIsTriedAgain() {
    ec2.fail("DescribeInstances", "");

    Never never = (Never) nodes.find(NAME);
    assertThat(never.gone()).isFalse();
    assertThat(never.why()).contains("DescribeInstances of instance " + ID, "400");
    assertThat(nodes.find(NAME)).isEqualTo(new Never("instance " + ID + " was stopped", true));
  }

  @Test
  void anUnknownInstanceIsGone() {
    ec2.put("i-0000000f", "running");
    ec2.fail("DescribeInstances", "InvalidInstanceID.NotFound");

    Never never = (Never) nodes.find(NAME);
    assertThat(never.gone()).isTrue();
    assertThat(never.why()).contains("InvalidInstanceID.NotFound");
  }

  @Test
  void whatStoppedUnderAJobIsGoneAndNotStarted() {
    assertThat(nodes.find(NAME)).isEqualTo(new Never("instance " + ID + " was stopped", true));
    assertThat(ec2.asked).isEmpty();
  }

  @Test
  void anAddressThatChangesIsFoundAgain() {
    ec2.put(ID, "running");
    assertThat(nodes.find(NAME)).isInstanceOf(Ready.class);
    assertThat(((Ready) nodes.find(NAME)).node().knownAs()).isEqualTo(ID);
  }

  @Test
  void aLineThatNamesNoInstanceIsRefused() throws IOException {
    Path mapping = Files.writeString(folder.resolve("bad"), "ubuntu@gpu-1\n");

    assertThatThrownBy(
            () ->
                AwsNodes.open(
                    new AwsSettings(
                        mapping,
                        1,
                        Duration.ZERO,
                        true,
                        Optional.empty(),
                        Optional.empty(),
                        Duration.ofSeconds(1)),
                    folder))
        .isInstanceOf(MappingException.class)
        .hasMessageContaining("'ubuntu@gpu-1:22': expected user@instance-id");
  }
}
