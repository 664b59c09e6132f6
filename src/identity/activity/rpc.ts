import { ActivityService } from "../../../gen/gatehouse/v1/activity_service_pb.ts";
import { SessionMethod } from "../../../gen/gatehouse/v1/session_pb.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { ActivityDay } from "./activity.ts";
import type { ActivityCommands } from "./commands.ts";

/** Maps the messages of ActivityService to commands. */
export function createActivityService(commands: ActivityCommands): ServiceImplementation {
  return implementService(ActivityService, {
    getActivity: {
      run: async (call, request) => {
        const { days, activeUsers, factors, applications, sendsEmails } = await commands.get(call, request);
        return {
          sendsEmails,
          days: days.map(toDayMessage),
          activeUsers: {
            lastDay: BigInt(activeUsers.lastDay),
            last7Days: BigInt(activeUsers.last7Days),
            last30Days: BigInt(activeUsers.last30Days),
          },
          factors: factors.map(({ method, users }) => ({
            method: SessionMethod[method],
            users: BigInt(users),
          })),
          applications: applications.map(({ appId, count }) => ({ appId, signIns: BigInt(count) })),
        };
      },
    },
  });
}

function toDayMessage({ date, signIns, refusals, methods }: ActivityDay) {
  return {
    date,
    signIns: BigInt(signIns),
    refusals: BigInt(refusals),
    methods: methods.map((each) => ({
      method: SessionMethod[each.method],
      signIns: BigInt(each.signIns),
      refusals: BigInt(each.refusals),
    })),
  };
}
