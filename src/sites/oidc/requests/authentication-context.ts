/** The value of `acr_values` and `acr` for a login with two factors. */
export const mfaReference = "urn:gatehouse:acr:mfa";
/** The value of `acr` for a login with one factor. */
export const singleFactorReference = "urn:gatehouse:acr:1fa";
