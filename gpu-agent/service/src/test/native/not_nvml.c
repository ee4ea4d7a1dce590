/* A library that is not NVML, for the test of what the binding says about one. */
__attribute__((visibility("default"))) int nvml_of_another_kind(void)
{
    return 0;
}
