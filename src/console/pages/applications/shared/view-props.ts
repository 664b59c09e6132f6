import type {
  Application,
  OidcApplicationConfig,
  SamlConfig,
} from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import type { ProjectParams } from "./application.ts";

/** Props of what shows a part of an application. */
export interface ApplicationViewProps {
  readonly params: ProjectParams;
  readonly application: Application;
  /** Whether the user may change it. */
  readonly mayWrite: boolean;
  /** Reads the application again. */
  readonly onChange: () => Promise<void>;
  /** Reads it again, and returns it, after somebody else has changed it. */
  readonly readStored: () => Promise<Application>;
}

/** Props of what shows a part of an OIDC application. */
export interface OidcViewProps extends ApplicationViewProps {
  readonly oidc: OidcApplicationConfig;
}

/** Props of what shows a part of a SAML application. */
export interface SamlViewProps extends ApplicationViewProps {
  readonly saml: SamlConfig;
}
