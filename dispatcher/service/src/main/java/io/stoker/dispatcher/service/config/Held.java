package io.stoker.dispatcher.service.config;

import io.quarkus.runtime.configuration.DurationConverter;
import io.stoker.common.life.Setting;
import java.time.Duration;
import org.eclipse.microprofile.config.spi.Converter;

/** Converters that hold settings to what they may be, whether anybody asks for them or not. */
public final class Held {
  private Held() {}

  /** The length of a period, which is never 0. */
  public static final class Period extends DurationConverter {
    @Override
    public Duration convert(String given) {
      return Setting.period(super.convert(given));
    }
  }

  /** A length of time, which may be 0. */
  public static final class Time extends DurationConverter {
    @Override
    public Duration convert(String given) {
      return Setting.time(super.convert(given));
    }
  }

  /** A port; 0 for any that is free. */
  public static final class Port implements Converter<Integer> {
    @Override
    public Integer convert(String given) {
      return Setting.port(given);
    }
  }
}
