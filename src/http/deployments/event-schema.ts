import type { DeploymentEvent } from "../../domain/deployment/events.ts";
import type { Logged } from "../../domain/shared/history.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { eventPageShown, type ShownEvent } from "../kernel/event-schemas.ts";

/** Description of each event of a deployment. */
const DEPLOYMENT_EVENTS = {
  DeploymentCreated: "Created. Its definition never changes.",
  ProjectOpened: "It has its tracing project.",
  RevisionAdded: "A revision was added. Its content never changes.",
  RevisionMoved: "A revision has a new status. `failure` says why.",
  WorkBegan: "Work at the edge began. If it is unfinished at `until`, it was cut off.",
  RevisionBuilt: "Its source was built; its modules are stored.",
  LeaseTaken: "A listener works on the revision until `until`.",
  LeaseRenewed: "The listener reported; its lease ends at `until`.",
  ServedAt: "The listener reported where it serves the revision.",
  DeploymentDeleted: "Deleted. No revision serves any more.",
  DeploymentCleaned: "Only these events are kept.",
} as const satisfies Record<DeploymentEvent["type"], string>;

export const deploymentEventsShown = eventPageShown("DeploymentEvent", DEPLOYMENT_EVENTS);

/** An event in its wire shape: without sealed values, and without the id of a lease, which lets its bearer report. */
export const showDeploymentEvent = ({ seq, at, event }: Logged<DeploymentEvent>): ShownEvent => ({
  seq,
  at: isoFromMs(at),
  type: event.type,
  data: dataOf(event),
});

const dataOf = (event: DeploymentEvent): Record<string, unknown> => {
  switch (event.type) {
    case "DeploymentCreated":
      return { name: event.definition.name, source: event.definition.source, listener_id: event.definition.listenerId };
    case "ProjectOpened":
      return { session_id: event.projectId };
    case "RevisionAdded": {
      const { content, revisionId, redeployOf } = event;
      return {
        revision_id: revisionId,
        redeploy_of: redeployOf,
        repo_ref: content.repoRef,
        langgraph_config_path: content.configPath,
        image_uri: content.imageUri,
        source_tarball_path: content.tarballPath,
        allow_outbound_network: content.allowNetwork,
        secrets: content.secrets.names,
      };
    }
    case "RevisionMoved":
      return { revision_id: event.revisionId, status: event.to, failure: event.failure };
    case "WorkBegan":
    case "LeaseRenewed":
      return { revision_id: event.revisionId, until: isoFromMs(event.until) };
    case "RevisionBuilt": {
      const { mainModule, modules, bytes } = event.bundle;
      return { revision_id: event.revisionId, main_module: mainModule, modules, bytes };
    }
    case "LeaseTaken": {
      const { listenerId, until } = event.lease;
      return { revision_id: event.revisionId, listener_id: listenerId, until: isoFromMs(until) };
    }
    case "ServedAt":
      return { revision_id: event.revisionId, url: event.url };
    case "DeploymentDeleted":
    case "DeploymentCleaned":
      return {};
  }
};
