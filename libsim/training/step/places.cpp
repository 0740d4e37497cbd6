#include "libsim/training/step/places.hpp"

namespace sim::model {

std::vector<int> Places::real_ranks() const {
    std::vector<int> real;
    for (int rank = 0; folded_ && rank < ranks(); ++rank) {
        real.push_back(real_rank(rank));
    }
    return real;
}

Group Places::standing(int rank, const Group& whole) const {
    return folded_ ? Group::strided(rank, 1, 1).standing_for(whole) : whole;
}

Group Places::replicas(int rank) const {
    const int real = real_rank(rank);
    const int first = real / per_stage() * per_stage() + real % layout_.tp;
    return standing(rank, Group::strided(first, layout_.tp, layout_.replicas()));
}

Group Places::expert_replicas(int rank) const {
    const int real = real_rank(rank);
    const int apart = layout_.ep * layout_.expert_tp;
    const int first = real / per_stage() * per_stage() + real % per_stage() % apart;
    return standing(rank, Group::strided(first, apart, layout_.expert_replicas()));
}

Group Places::ends(int rank) const {
    const int first = in_stage(rank, 0);
    const int last = in_stage(rank, layout_.pp - 1);
    const Group both = Group::of({first, last});
    return folded_ ? both.standing_for(Group::of({real_rank(first), real_rank(last)})) : both;
}

Group Places::everyone() const {
    const Group here = Group::strided(0, 1, ranks());
    return folded_ ? here.standing_for(Group::strided(0, 1, layout_.ranks())) : here;
}

}  // namespace sim::model
