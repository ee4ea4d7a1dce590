package io.stoker.agent.gpu;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The health of a GPU as it tells it; what it does not offer is empty.
 *
 * @param uncorrectedErrors of its memory since the driver was loaded
 * @param retiredPages pages taken out of use since errors in them could not be corrected
 * @param retirementPending whether a page waits for a reset to be taken out of use
 * @param clocks why its clocks are held down
 */
public record HealthReading(
    OptionalLong uncorrectedErrors,
    OptionalInt retiredPages,
    boolean retirementPending,
    Optional<RemappedRows> rows,
    Optional<ClocksEventReasons> clocks) {}
