import type { DeploymentEvent } from "../../domain/deployment/events.ts";
import type { Logged } from "../../domain/shared/history.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { eventPageShown, type ShownEvent } from "../kernel/event-schemas.ts";

/** What each event of a deployment says. */
const DEPLOYMENT_EVENTS = {
  DeploymentAbandoned: "Never made, and never will be.",
  DeploymentCreated: "Asked for; what it is stays so.",
  ProjectOpened: "It has its tracing project.",
  RevisionAdded: "A revision was asked for; what it runs stays so.",
  RevisionMoved: "A revision has another status, and why.",
  WorkBegan: "Work at the edge began; unfinished at `until`, it was cut off.",
  RevisionBuilt: "Its source is good and its modules are kept.",
  LeaseTaken: "A listener has the revision until `until`.",
  LeaseRenewed: "The listener was heard from.",
  ServedAt: "The listener said where it serves.",
  DeploymentDeleted: "Deleted: nothing serves any more.",
  DeploymentCleaned: "Nothing of it is kept but these events.",
} as const satisfies Record<DeploymentEvent["type"], string>;

export const deploymentEventsShown = eventPageShown("DeploymentEvent", DEPLOYMENT_EVENTS);

/** An event in its wire shape: without anything sealed, and without the lease's id, which is a right. */
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
    case "DeploymentAbandoned":
    case "DeploymentDeleted":
    case "DeploymentCleaned":
      return {};
  }
};
