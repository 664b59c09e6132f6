/** The services of one of the two files that share the matrix; the other one takes all others. */
export const projectServices: readonly string[] = [
  "ProjectService",
  "ApplicationService",
  "UserGrantService",
];
