package io.stoker.agent;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/** Waits that name no limit have one for busy machines; Awaitility's own is 10 s. */
public final class Patience implements TestExecutionListener {
  @Override
  public void testPlanExecutionStarted(TestPlan plan) {
    Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
  }
}
