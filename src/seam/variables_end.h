// Ends the meanings that the macros of seam/variables.def were given.
#undef HS_NUMBER
#undef HS_LARGE_NUMBER
#undef HS_SECONDS
#undef HS_SWITCH
#undef HS_TEXT
#undef HS_CHOICE
#undef HS_ACTION
