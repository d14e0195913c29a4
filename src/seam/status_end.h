// Ends the meanings that the macros of seam/status.def were given.
#undef HS_LOADER_STATUS
#undef HS_TABLE_STATUS
#undef HS_STATUS
