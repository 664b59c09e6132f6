/** Where people type the code of a device, below the issuer. A page below it shows how the login ended. */
export const devicePath = "/device";
