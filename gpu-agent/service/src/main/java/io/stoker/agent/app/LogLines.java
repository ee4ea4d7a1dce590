package io.stoker.agent.app;

import io.quarkus.logging.LoggingFilter;
import io.stoker.common.text.LogLine;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.ExtLogRecord.FormatStyle;

/** Keeps what others have written from passing for lines of the log; it leaves out none. */
@LoggingFilter(name = LogLines.NAME)
public final class LogLines implements Filter {
  static final String NAME = "lines";

  @Override
  public boolean isLoggable(LogRecord record) {
    if (record instanceof ExtLogRecord said) {
      String message = LogLine.message(String.valueOf(said.getFormattedMessage()));
      String trace = said.getThrown() == null ? "" : ": " + LogLine.trace(said.getThrown());
      said.setMessage(message + trace, FormatStyle.NO_FORMAT);
      said.setThrown(null);
    }
    return true;
  }
}
