/** The id of the console, which is an application of no project. */
export const clientId = "gatehouse-console";
