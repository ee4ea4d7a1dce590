/**
 * What a host's GPUs say of themselves, and the port that asks them, {@link
 * io.stoker.agent.gpu.NvmlApi}; NVIDIA's library answers it in the service.
 */
package io.stoker.agent.gpu;
