package io.stoker.cli.stack;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.RunningStack;
import java.io.IOException;
import java.util.Optional;

/** Another stack runs on the data folder already. */
public final class StackBusyException extends IOException {
  private static final long serialVersionUID = 1L;

  StackBusyException(DataFolder data, Optional<RunningStack> running) {
    super(
        "a stack already runs on %s%s; stop it with: stoker down --data %s, or choose another folder with --data"
            .formatted(data, running.map(StackBusyException::whatAndWhere).orElse(""), data));
  }

  private static String whatAndWhere(RunningStack stack) {
    return " (pid %d, Kafka at %s%s%s)"
        .formatted(
            stack.up().pid(),
            stack.addresses().bootstrap(),
            stack.addresses().url() == null ? "" : ", REST at " + stack.addresses().url(),
            stack.ready() ? "" : ", still starting");
  }
}
