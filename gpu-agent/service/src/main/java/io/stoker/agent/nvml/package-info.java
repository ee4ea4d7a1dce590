/**
 * NVIDIA's management library, seen as a few typed questions.
 *
 * <p>{@link io.stoker.agent.nvml.Nvml#open} is the way in. What it answers is a state: NVML is
 * {@link io.stoker.agent.nvml.NvmlStart.Ready ready}, the host has {@link
 * io.stoker.agent.nvml.NvmlStart.NoGpu no GPU}, or NVML {@link
 * io.stoker.agent.nvml.NvmlStart.Failed failed}, which says nothing about the devices that are
 * there.
 *
 * <p>JNA is used in this package and nowhere else, and nothing of it shows outside. Handles live
 * for one call: a device is named by its UUID, since handles are reused and the order of indices
 * may change from one boot to the next.
 */
package io.stoker.agent.nvml;
