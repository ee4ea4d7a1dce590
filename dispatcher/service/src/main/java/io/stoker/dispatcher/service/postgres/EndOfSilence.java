package io.stoker.dispatcher.service.postgres;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Closes a connection on which nothing has arrived for too long: since something arrived, and since
 * the first that was sent after that. So what is sent on a connection that was long idle has all of
 * that time.
 */
final class EndOfSilence extends ChannelDuplexHandler {
  private final long silence;
  private final LongSupplier clock;
  private long quietSince;

  /** Whether something was sent since something arrived. */
  private boolean asked;

  /**
   * @param clock ns
   */
  EndOfSilence(Duration silence, LongSupplier clock) {
    this.silence = silence.toNanos();
    this.clock = clock;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext network) {
    quietSince = clock.getAsLong();
    look(network, silence);
  }

  @Override
  public void channelRead(ChannelHandlerContext network, Object read) {
    quietSince = clock.getAsLong();
    asked = false;
    network.fireChannelRead(read);
  }

  @Override
  public void write(ChannelHandlerContext network, Object written, ChannelPromise promise) {
    if (!asked) {
      quietSince = clock.getAsLong();
      asked = true;
    }
    network.write(written, promise);
  }

  private void look(ChannelHandlerContext network, long in) {
    network.executor().schedule(() -> look(network), in, TimeUnit.NANOSECONDS);
  }

  private void look(ChannelHandlerContext network) {
    long left = silence - (clock.getAsLong() - quietSince);
    if (left <= 0) {
      network.close();
    } else if (network.channel().isActive()) {
      look(network, left);
    }
  }
}
