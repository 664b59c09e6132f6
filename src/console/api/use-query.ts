import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type CallProblem, readProblem } from "./call-problem.ts";

/** What is known of something that is read from the service. */
export interface Query<T> {
  /** What was read last; it stays while it is read again. */
  readonly data: T | undefined;
  /** Why the last reading failed. */
  readonly problem: CallProblem | undefined;
  readonly isLoading: boolean;
  /** Reads again. Resolves when the answer is there, also when it is a problem. */
  reload(): Promise<void>;
}

/**
 * Reads something when the component appears, and again when one of the inputs changes; an answer that comes after a later one is
 * dropped. What was read with other inputs is not shown.
 */
export function useQuery<T>(load: () => Promise<T>, inputs: readonly unknown[]): Query<T> {
  const [state, setState] = useState<Omit<Query<T>, "reload">>({
    data: undefined,
    problem: undefined,
    isLoading: true,
  });
  const latest = useRef(0);
  const loader = useRef(load);
  loader.current = load;

  const read = useCallback(async (keepsData: boolean) => {
    latest.current += 1;
    const own = latest.current;
    setState((last) => ({ data: keepsData ? last.data : undefined, problem: undefined, isLoading: true }));
    try {
      const data = await loader.current();
      if (own === latest.current) setState({ data, problem: undefined, isLoading: false });
    } catch (error) {
      const problem = readProblem(error);
      if (own === latest.current) setState((last) => ({ ...last, problem, isLoading: false }));
    }
  }, []);

  useEffect(() => {
    void read(false);
    return () => {
      latest.current += 1;
    };
  }, inputs);

  return { ...state, reload: useCallback(() => read(true), [read]) };
}
