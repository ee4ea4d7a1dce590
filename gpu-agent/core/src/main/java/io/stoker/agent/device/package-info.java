/**
 * What a host has to give and to whom it has given it. {@link
 * io.stoker.agent.device.InventoryReader} asks NVML; everything else is plain state: {@link
 * io.stoker.agent.device.DeviceLedger} turns a demand into a decision and never changes what it is
 * asked about.
 */
package io.stoker.agent.device;
