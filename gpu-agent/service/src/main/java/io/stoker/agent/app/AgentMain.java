package io.stoker.agent.app;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.stoker.agent.config.KafkaSettings;
import io.stoker.agent.hardware.GpuReport;
import io.stoker.agent.spawn.KeeperMain;
import io.stoker.agent.spawn.Rights;
import io.stoker.agent.spawn.SpawnerMain;
import io.stoker.common.life.StartFailure;
import io.stoker.kafka.KafkaAccess;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * Begins the agent or, in a native executable, the spawner beside it or its keeper; or says what
 * GPUs there are; or rehearses a start.
 */
@QuarkusMain
public final class AgentMain {
  private static final Duration PAUSE = Duration.ofSeconds(5);

  private AgentMain() {}

  /**
   * Clients of Kafka that speak otherwise than its brokers would only be silent, or run out of
   * memory.
   */
  private static void awaitSpeech(KafkaAccess kafka) throws InterruptedException {
    kafka.warning().ifPresent(System.err::println);
    String told = "";
    Optional<String> mismatch = kafka.mismatch();
    while (mismatch.isPresent()) {
      if (!mismatch.get().equals(told)) {
        told = mismatch.get();
        System.err.printf("nothing is served yet: %s%n", told);
      }
      Thread.sleep(PAUSE);
      mismatch = kafka.mismatch();
    }
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Locale.setDefault(Locale.ROOT); // others have digits of their own
    if (arguments.length > 2 && arguments[0].equals(SpawnerMain.ARGUMENT)) {
      SpawnerMain.main(Arrays.copyOfRange(arguments, 1, arguments.length));
    } else if (arguments.length > 2 && arguments[0].equals(KeeperMain.ARGUMENT)) {
      KeeperMain.main(Arrays.copyOfRange(arguments, 1, arguments.length));
    } else if (arguments.length == 2 && arguments[0].equals(GpuReport.ARGUMENT)) {
      GpuReport.print(arguments[1]);
    } else if (arguments.length == 1 && arguments[0].equals(Rehearsal.ARGUMENT)) {
      Rehearsal.run();
    } else {
      Rights.hide();
      awaitSpeech(KafkaSettings.access(ConfigProvider.getConfig()));
      Quarkus.run((Class<? extends QuarkusApplication>) null, StartFailure::end, arguments);
    }
  }
}
