package io.stoker.agent.runner;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AgentDecider;
import io.stoker.agent.attempt.AgentRules;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.Lease;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.device.DeviceLedger;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.key.AgentKey;
import io.stoker.agent.pool.Answer;
import io.stoker.agent.report.EventsVoice;
import io.stoker.agent.report.Outlet;
import io.stoker.agent.report.Reporter;
import io.stoker.agent.report.Timer;
import io.stoker.agent.secret.Masks;
import io.stoker.common.json.Json;
import io.stoker.common.json.JsonRules;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.security.Macs;
import io.stoker.common.state.FailureCategory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs that write anything at all: each comes to an end that is journaled, signed, sent, read and
 * stored. Seeds are in the failure's description; {@code -Dstoker.fuzz.seed} tries one alone.
 */
class OutputFuzzTest {
  private static final int RUNS = 600;
  private static final int LARGEST_RECORD = 1 << 20;
  private static final Now NOW = new Now(1_000, 1_000_000);

  @TempDir Path data;

  @Test
  void everyRunComesToAnEndThatCanBeKept() throws Exception {
    Long only = Long.getLong("stoker.fuzz.seed");
    for (long seed = only == null ? 1 : only; seed <= (only == null ? RUNS : only); seed++) {
      try {
        run(seed);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private void run(long seed) throws IOException, MalformedJson {
    Random random = new Random(seed);
    String job = "job" + seed;
    try (WrittenRun run = new WrittenRun(data, job, ToldBefore.NOTHING)) {
      for (int i = random.nextInt(4); i >= 0; i--) {
        run.stdout(hostile(random));
        run.stderr(hostile(random));
        run.look();
      }
      if (random.nextInt(4) == 0) {
        Files.write(run.resultFile(), random.nextBoolean() ? json(random) : hostile(random));
      }
      int exit = random.nextInt(3);
      Agent agent = new Agent(aPlace(job).build());
      List<Input> inputs = new ArrayList<>();
      var end = run.end(exit);
      inputs.addAll(run.said);
      inputs.add(new Input.Exited(run.key, end));
      agent.take(inputs);

      AttemptEvent ended = agent.ended();
      assertThat(ended.outcome()).isIn(Outcome.SUCCEEDED, Outcome.FAILED);
      assertThat(ended.outcome() == Outcome.SUCCEEDED)
          .isEqualTo(exit == 0 && end.resultProblem().isEmpty());
      run.logs.forEach(OutputFuzzTest::isReadable);
    }
  }

  @Test
  void everyAnswerOfAWorkerIsOne() throws IOException, MalformedJson {
    for (long seed = 1; seed <= RUNS; seed++) {
      Random random = new Random(seed);
      List<Input> heard = new ArrayList<>();
      WorkerLines lines =
          new WorkerLines(
              new WorkerKey("p", "test", 1), new SaidByRun(heard::add), Masks.NONE, "over");
      lines.told(1);
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      text.writeBytes("#stoker:worker {\"n\":1,\"is\":\"".getBytes(StandardCharsets.US_ASCII));
      text.writeBytes(
          pick(random, "done", "error", "oom", "progress", "started", "withdrawn", "x").getBytes());
      text.writeBytes("\",\"message\":".getBytes(StandardCharsets.US_ASCII));
      text.writeBytes(json(random));
      text.writeBytes(",\"value\":".getBytes(StandardCharsets.US_ASCII));
      text.writeBytes(json(random));
      text.writeBytes(",\"result\":".getBytes(StandardCharsets.US_ASCII));
      text.writeBytes(json(random));
      text.writeBytes("}\n".getBytes(StandardCharsets.US_ASCII));
      text.writeBytes(hostile(random));
      byte[] bytes = text.toByteArray();
      lines.accept(bytes, bytes.length);
      for (Input input : heard) {
        if (input instanceof Input.WorkerAnswered answered) {
          isKept(answered.answer(), seed);
        }
      }
    }
  }

  private static void isKept(Answer answer, long seed) throws MalformedJson {
    String message =
        switch (answer) {
          case Answer.Failed failed -> failed.message();
          case Answer.Unkept unkept -> unkept.why();
          case Answer.Unclear unclear -> unclear.why();
          case Answer.OutOfMemory oom -> oom.message();
          case Answer.Done done -> null;
          case Answer.Progress progress -> null;
          case Answer.Begun begun -> null;
          case Answer.Withdrawn withdrawn -> null;
        };
    JsonNode value =
        switch (answer) {
          case Answer.Done done -> done.result().orElse(null);
          case Answer.Progress progress -> progress.value();
          default -> null;
        };
    Outcome how = message == null ? Outcome.SUCCEEDED : Outcome.FAILED;
    AttemptEvent event =
        AttemptEvent.of("j", 1)
            .type(Type.ENDED)
            .at(1)
            .devices(List.of())
            .outcome(how)
            .category(message == null ? null : FailureCategory.APP)
            .message(message)
            .result(value)
            .build();
    byte[] key = {1};
    byte[] written = Json.bytes(event.signed(Macs.sign(key, event)));
    JsonNode tree = Json.readMessage(written);
    assertThat(Macs.verify(key, tree)).as("seed %d", seed).isTrue();
    assertThat(JsonRules.storable(tree.path("result"))).as("seed %d", seed).isTrue();
    assertThat(JsonRules.storable(tree.path("message"))).as("seed %d", seed).isTrue();
  }

  /** What an agent does with one attempt that runs, down to the records that it sends. */
  private static final class Agent {
    private final AgentDecider decider = new AgentDecider(AgentRules.standard());
    private final List<byte[]> records = new ArrayList<>();
    private final byte[] token;
    private final AgentState state;
    private final Reporter reporter;

    Agent(Place place) {
      token = Base64.getDecoder().decode(place.token());
      state =
          AgentState.replay(
              List.of(
                  new JournalEntry.Accepted(place, List.of(), true, 1, null, 1, null),
                  new JournalEntry.Started(
                      place.job(), place.attempt(), new RunProcess(77, 5, "boot", 1, 0))),
              DeviceLedger.of(Inventory.withoutGpu("a test", 2)),
              new Lease("nonce", 1_000_000, 0));
      Outlet broker =
          (key, value) -> {
            records.add(value);
            return CompletableFuture.completedFuture(null);
          };
      reporter =
          new Reporter(new EventsVoice("host", AgentKey.none()), broker, AT_ONCE, taken -> {});
      reporter.inEpoch(OptionalLong.of(1), false);
    }

    void take(List<Input> inputs) throws MalformedJson {
      for (Input input : inputs) {
        for (Effect effect : decider.decide(state, input, NOW)) {
          if (effect instanceof Effect.Journal journal) {
            JournalEntry entry = journal.entry();
            assertThat(Json.read(Json.bytes(entry), JournalEntry.class)).isEqualTo(entry);
          }
          if (effect instanceof Effect.Send send) {
            reporter.send(send.event(), send.token());
          }
        }
      }
    }

    AttemptEvent ended() throws MalformedJson {
      AttemptEvent last = null;
      for (byte[] record : records) {
        assertThat(record).hasSizeLessThan(LARGEST_RECORD);
        for (JsonNode event : Json.readMessage(record).path("events")) {
          assertThat(Macs.verify(token, event)).isTrue();
          for (String name : List.of("message", "result", "progress")) {
            assertThat(JsonRules.unstorable(event.path(name))).isEmpty();
          }
          last = Json.read(event, AttemptEvent.class);
        }
      }
      assertThat(last).isNotNull();
      assertThat(last.type()).isEqualTo(Type.ENDED);
      return last;
    }
  }

  private static final Timer AT_ONCE =
      new Timer() {
        @Override
        public long nowMs() {
          return 0;
        }

        @Override
        public void after(long ms, Runnable task) {
          task.run();
        }
      };

  private static void isReadable(Object message) {
    try {
      assertThat((Object) Json.read(Json.bytes(message), message.getClass())).isEqualTo(message);
    } catch (MalformedJson e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] hostile(Random random) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = random.nextInt(12); i >= 0; i--) {
      switch (random.nextInt(14)) {
        case 0 -> out.write(0);
        case 1 -> out.writeBytes(new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0xBD});
        case 2 -> out.writeBytes(new byte[] {(byte) 0xC3, 0x28, (byte) 0xFF});
        case 3 -> out.writeBytes("😀".getBytes(StandardCharsets.UTF_8));
        case 4 -> out.writeBytes("\u001b[31m\u0007\u007f\r".getBytes(StandardCharsets.UTF_8));
        case 5 -> out.writeBytes("x".repeat(around(random, 500)).getBytes());
        case 6 -> out.writeBytes("😀".repeat(around(random, 250)).getBytes(StandardCharsets.UTF_8));
        case 7 -> random.ints(20).forEach(out::write);
        case 8, 9 -> marker(out, random);
        case 10 -> out.writeBytes("\\ud83d\\u0000".getBytes(StandardCharsets.US_ASCII));
        case 11 -> out.writeBytes("x".repeat(around(random, 64 * 1024)).getBytes());
        default -> out.write('\n');
      }
    }
    return out.toByteArray();
  }

  private static void marker(ByteArrayOutputStream out, Random random) {
    out.write('\n');
    out.writeBytes("#stoker:".getBytes(StandardCharsets.US_ASCII));
    out.writeBytes(pick(random, "result ", "progress ", "stage ", "worker ", "x").getBytes());
    out.writeBytes(random.nextInt(4) == 0 ? hostile(random) : json(random));
    if (random.nextInt(4) > 0) {
      out.write('\n');
    }
  }

  private static byte[] json(Random random) {
    String value =
        switch (random.nextInt(14)) {
          case 0 -> "\"\\u0000\"";
          case 1 -> "\"\\ud83d\"";
          case 2 -> "{\"\\udc00\":1}";
          case 3 -> "{\"a\\u0000\":[null]}";
          case 4 -> "1e400";
          case 5 -> "123456789012345678901234567890";
          case 6 -> nested(around(random, JsonRules.MAX_KEPT_NESTING));
          case 7 -> nested(around(random, Json.MAX_NESTING));
          case 8 -> "\"" + "x".repeat(around(random, MarkerLines.MAX_RESULT - 2)) + "\"";
          case 9 -> "\"" + "😀".repeat(around(random, MarkerLines.MAX_RESULT / 4)) + "\"";
          case 10 -> "\"" + "\\u0001".repeat(around(random, 2_000)) + "\"";
          case 11 -> "{\"n\":1,\"is\":\"done\",\"message\":\"" + "x".repeat(1_999) + "😀😀\"}";
          case 12 -> "{\"a\":1,\"a\":2}";
          default -> "[0.5, \"😀é\\n\"]";
        };
    return value.getBytes(StandardCharsets.UTF_8);
  }

  private static String nested(int levels) {
    return "[".repeat(levels) + "]".repeat(levels);
  }

  /** A limit, or one less or more than it. */
  private static int around(Random random, int limit) {
    return limit - 1 + random.nextInt(3);
  }

  private static String pick(Random random, String... of) {
    return of[random.nextInt(of.length)];
  }
}
