package io.stoker.agent.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.ssh.NodeCleaner.Left;
import io.stoker.agent.ssh.RunRecords.RunRecord;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class NodeCleanerTest {
  private static final Node NODE = new Node("worker", "node", 22, Optional.empty(), "node");
  private static final RunRecord AT =
      new RunRecord("a node", ".stoker/runs/owner/a-1.0", Optional.empty());

  @TempDir Path folder;
  private final CountDownLatch unused = new CountDownLatch(1);

  @Test
  void aNodeIsGivenUpAlthoughItsLinkFailsUnexpectedlyAtFirst() throws Exception {
    RunRecords records = new RunRecords(folder);
    records.write("a-1", AT);
    FailingOnce links = new FailingOnce();
    Nodes nodes = new OneNode();
    NodeBook book = new NodeBook(nodes.offers(), 1, new Random(1));
    FollowRules rules =
        new FollowRules(
            1, Duration.ofMillis(1), Duration.ofMillis(1), Optional.empty(), Duration.ofMillis(1));

    try (NodeCleaner cleaner =
        new NodeCleaner(new NodeRun.Ways(nodes, links, rules, book), records)) {
      cleaner.clean("a-1", AT, "owner/a-1/", Left.FOLDER);
      assertThat(unused.await(60, TimeUnit.SECONDS)).as("it was given up").isTrue();
    }

    assertThat(links.scripts).singleElement().asString().contains("rm -rf");
    assertThat(records.read("a-1")).isEmpty();
  }

  private final class OneNode implements Nodes {
    @Override
    public List<Offer> offers() {
      return List.of(new Offer(AT.node(), Optional.empty()));
    }

    @Override
    public Readiness prepare(String name) {
      throw new AssertionError("nothing is to be started there");
    }

    @Override
    public Readiness find(String name) {
      return new Ready(NODE);
    }

    @Override
    public void used(String name, String run) {
      throw new AssertionError("nothing is to be run there");
    }

    @Override
    public void settled() {}

    @Override
    public void unused(String name, String run) {
      unused.countDown();
    }

    @Override
    public void close() {}
  }

  /** As where the machine has no thread left for a client. */
  private static final class FailingOnce implements Links, Link {
    private final List<String> scripts = new ArrayList<>();
    private boolean failed;

    @Override
    public Link to(Node node) {
      if (!failed) {
        failed = true;
        throw new IllegalStateException("no client can be made");
      }
      return this;
    }

    @Override
    public byte[] run(String script) {
      scripts.add(script);
      return new byte[0];
    }

    @Override
    public void put(InputStream content, long size, String path, boolean executable) {
      throw new AssertionError("nothing is to be put there");
    }

    @Override
    public void close() {}
  }
}
