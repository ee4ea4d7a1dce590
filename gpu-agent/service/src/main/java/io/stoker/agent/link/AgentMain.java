package io.stoker.agent.link;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.stoker.agent.spawn.KeeperMain;
import io.stoker.agent.spawn.Rights;
import io.stoker.agent.spawn.SpawnerMain;
import java.io.IOException;
import java.util.Arrays;

/**
 * Begins the agent or, in a native executable, the spawner beside it or its keeper; or says what
 * GPUs there are; or rehearses a start.
 */
@QuarkusMain
public final class AgentMain {
  private AgentMain() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
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
      Quarkus.run(arguments);
    }
  }
}
