#include "tools/torch/prices/chains.hpp"

#include <algorithm>
#include <utility>

namespace sim::torch::prices {

using seam::Tensor;

namespace {

constexpr double cheap = 1.25;  // of a tensor's bytes: limit of what may be read to recompute it instead
constexpr std::size_t most_roots = 8;
constexpr std::size_t most_open = 64;  // open chains
constexpr std::size_t names_in_label = 3;
constexpr std::size_t most_remembered = 32768;
constexpr std::size_t most_past = 8;  // chains ended by a product

template <class Bytes>
std::int64_t sum_of(const Bytes& bytes) {
    std::int64_t sum = 0;
    for (const auto& [key, count] : bytes) {
        sum += count;
    }
    return sum;
}

template <class Bytes>
void overwrite(Bytes& mine, const Bytes& others) {
    for (const auto& [key, count] : others) {
        mine[key] = count;
    }
}

Place place_of(const Tensor& tensor) {
    return {tensor.storage, tensor.offset, elements(tensor)};
}

template <class Map, class Key>
typename Map::mapped_type found_in(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? typename Map::mapped_type{} : found->second;
}

}  // namespace

std::string Chain::label() const {
    std::string text = "fused ";
    for (std::size_t at = 0; at < std::min(names.size(), names_in_label); ++at) {
        text += (at == 0 ? "" : "+") + names[at];
    }
    return names.size() > names_in_label ? text + "+…" : text;
}

std::int64_t Chain::bytes() const {
    return std::max<std::int64_t>(0, sum_of(read) + sum_of(left) + sum_of(written) + late);
}

void Chain::add_name(const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
    }
}

void Chain::take_over(const Chain& other) {
    for (const std::string& name : other.names) {
        add_name(name);
    }
    overwrite(read, other.read);
    overwrite(made, other.made);
    overwrite(left, other.left);
    overwrite(written, other.written);
    late += other.late;
    overwrite(had, other.had);
    before = before == 0 || other.before == 0 ? std::max(before, other.before) : std::min(before, other.before);
}

bool Chains::takes(const Call& call) const {
    const Kind kind = call.op().kind;
    return call.op().is_fused || kind == Kind::unpick ||
           (kind == Kind::pick && made_by_.contains(call.tensor({"self"}).storage));
}

Chains::Ended Chains::add(const Call& call) {
    std::vector<Input> inputs;
    if (call.op().kind != Kind::fill && call.op().kind != Kind::unpick) {
        for (const Tensor* tensor : call.inputs()) {
            if (tensor->is_on_gpu) {
                inputs.push_back({place_of(*tensor), bytes(*tensor)});
            }
        }
    }
    Chain& chain = joined(inputs);
    chain.add_name(call.name());
    BytesOfPlaces roots;
    for (const Input& input : inputs) {
        const std::uint64_t storage = input.place.storage;
        if (found_in(made_by_, storage) != &chain) {
            overwrite(roots, enter(chain, input));
            continue;
        }
        chain.left.erase(storage);
        const BytesOfPlaces* known = roots_of(storage);
        overwrite(roots, known == nullptr ? BytesOfPlaces{{input.place, input.bytes}} : *known);
    }
    leave(chain, call, roots);
    Ended all;
    if (open_.size() > most_open) {
        all.push_back(ended(*open_.front()));
    }
    return all;
}

Chains::Ended Chains::alone(const Call& call) {
    std::vector<Chain*> makers;
    Ended all;
    std::vector<std::pair<Chain*, std::unique_ptr<Chain>>> found;  // in order: an open chain, or one that recomputes
    for (const Tensor* tensor : call.inputs()) {
        if (!tensor->is_on_gpu) {
            continue;
        }
        const std::uint64_t storage = tensor->storage;
        if (Chain* maker = found_in(made_by_, storage)) {
            maker->left.erase(storage);
            maker->written.try_emplace(storage, maker->made[storage]);
            roots_.erase(storage);
            if (std::find(makers.begin(), makers.end(), maker) == makers.end()) {
                makers.push_back(maker);
                found.emplace_back(maker, nullptr);
            }
        } else if (const BytesOfPlaces* roots = roots_of(storage)) {
            auto again = std::make_unique<Chain>();
            again->add_name("again");
            again->read = *roots;
            again->late = bytes(*tensor);
            roots_.erase(storage);
            found.emplace_back(nullptr, std::move(again));
        } else {
            is_needed(storage);
        }
    }
    for (auto& [maker, again] : found) {
        if (maker == nullptr) {
            all.push_back(std::move(again));
            continue;
        }
        keep(*maker);
        all.push_back(ended(*maker));
    }
    for (const Tensor* tensor : call.written()) {
        roots_.erase(tensor->storage);
    }
    see(call.results());
    return all;
}

Chains::Ended Chains::end() {
    Ended all;
    while (!open_.empty()) {
        all.push_back(ended(*open_.front()));
    }
    return all;
}

// Merges the chains that made or read one of these inputs; begins a new one if there are none.
Chain& Chains::joined(const std::vector<Input>& inputs) {
    std::vector<Chain*> chains;
    for (const Input& input : inputs) {
        Chain* maker = found_in(made_by_, input.place.storage);
        Chain* chain = maker != nullptr ? maker : found_in(read_by_, input.place);
        if (chain != nullptr && may_join(*chain, inputs) &&
            std::find(chains.begin(), chains.end(), chain) == chains.end()) {
            chains.push_back(chain);
        }
    }
    if (chains.empty()) {
        return begun(inputs);
    }
    Chain& first = *chains.front();
    for (auto other = chains.begin() + 1; other != chains.end(); ++other) {
        first.take_over(**other);
        for (const auto& [storage, count] : (*other)->made) {
            if (found_in(made_by_, storage) == *other) {
                made_by_[storage] = &first;
            }
        }
        for (const BytesOfPlaces* places : {&(*other)->read, &(*other)->had}) {
            for (const auto& [place, count] : *places) {
                if (found_in(read_by_, place) == *other) {
                    read_by_[place] = &first;
                }
            }
        }
        std::erase_if(open_, [&](const auto& one) { return one.get() == *other; });
    }
    return first;
}

// Begins a chain. It joins an ended one that made one of its inputs, if all others existed when that one ended.
Chain& Chains::begun(const std::vector<Input>& inputs) {
    Chain& chain = *open_.emplace_back(std::make_unique<Chain>());
    for (auto past = past_.rbegin(); past != past_.rend(); ++past) {
        const auto is_left = [&](const Input& input) { return past->left.contains(input.place.storage); };
        const auto was_there = [&](const Input& input) { return input.place.storage <= past->newest; };
        if (!std::ranges::any_of(inputs, is_left) || !std::ranges::all_of(inputs, was_there)) {
            continue;
        }
        chain.had = past->had;
        chain.before = past->newest;
        for (const Input& input : inputs) {
            if (const auto left = past->left.find(input.place.storage); left != past->left.end()) {
                chain.had[input.place] = input.bytes;
                chain.late -= left->second.first;
                remember(input.place.storage, left->second.second);
                past->left.erase(left);
            }
        }
        break;
    }
    return chain;
}

bool Chains::may_join(const Chain& chain, const std::vector<Input>& inputs) const {
    return chain.before == 0 || std::ranges::all_of(inputs, [&](const Input& input) {
               return input.place.storage <= chain.before || found_in(made_by_, input.place.storage) == &chain;
           });
}

// Keeps an ending chain for chains that may join it later.
void Chains::keep(const Chain& chain) {
    Past past{.had = chain.read, .left = {}, .newest = newest_};
    overwrite(past.had, chain.had);
    for (const auto& [storage, count] : chain.left) {
        if (const BytesOfPlaces* roots = roots_of(storage)) {
            past.left.emplace(storage, std::pair(count, *roots));
        }
    }
    past_.push_back(std::move(past));
    if (past_.size() > most_past) {
        past_.pop_front();
    }
}

// The tensor is read from memory, so writing it was necessary.
void Chains::is_needed(std::uint64_t storage) {
    for (Past& past : past_) {
        past.left.erase(storage);
    }
}

// Adds a tensor that the chain did not make. Returns what the chain reads for it: its roots if they are cheap, or
// itself.
BytesOfPlaces Chains::enter(Chain& chain, const Input& input) {
    const std::uint64_t storage = input.place.storage;
    const BytesOfPlaces* roots = roots_of(storage);
    BytesOfPlaces itself{{input.place, input.bytes}};
    if (roots != nullptr) {
        std::int64_t more = 0;
        for (const auto& [place, count] : *roots) {
            more += chain.read.contains(place) || chain.had.contains(place) ? 0 : count;
        }
        if (static_cast<double>(more) <= cheap * static_cast<double>(input.bytes)) {
            itself = *roots;
        } else {
            roots_.erase(storage);
            chain.late += input.bytes;
        }
    } else {
        is_needed(storage);
    }
    read(chain, itself);
    return itself;
}

void Chains::read(Chain& chain, const BytesOfPlaces& places) {
    for (const auto& [place, count] : places) {
        if (!chain.had.contains(place)) {
            chain.read[place] = count;
        }
        read_by_[place] = &chain;
    }
}

void Chains::leave(Chain& chain, const Call& call, const BytesOfPlaces& roots) {
    std::int64_t largest = 0;
    for (const auto& [place, count] : roots) {
        largest = std::max(largest, count);
    }
    const Tensors in_place = call.written();
    for (const Tensor* tensor : call.outputs()) {
        if (!tensor->is_on_gpu) {
            continue;
        }
        const std::uint64_t storage = tensor->storage;
        const std::int64_t count = bytes(*tensor);
        const bool is_written =
            std::any_of(in_place.begin(), in_place.end(), [&](const Tensor* one) { return one->storage == storage; });
        const bool was_there = is_written && storage <= newest_ && found_in(made_by_, storage) != &chain;
        made_by_[storage] = &chain;
        std::int64_t& made = chain.made[storage];
        made = std::max(made, count);
        if (tensor->type == seam::Type::flag) {
            remember(storage, roots);  // a mask: recomputed when needed
        } else if (was_there || 2 * count < largest || roots.size() > most_roots) {
            roots_.erase(storage);
            chain.written[storage] = count;
        } else {
            remember(storage, roots);
            chain.left[storage] = made;
        }
    }
    see(call.results());
}

void Chains::see(std::span<const seam::Value> results) {
    for (const seam::Value& result : results) {
        for (std::int32_t at = 0; at < (result.tensors == nullptr ? 0 : result.count); ++at) {
            newest_ = std::max(newest_, result.tensors[at].storage);
        }
    }
}

std::unique_ptr<Chain> Chains::ended(Chain& chain) {
    forget(chain);
    const auto at = std::find_if(open_.begin(), open_.end(), [&](const auto& one) { return one.get() == &chain; });
    std::unique_ptr<Chain> taken = std::move(*at);
    open_.erase(at);
    return taken;
}

void Chains::forget(const Chain& chain) {
    for (const auto& [storage, count] : chain.made) {
        if (found_in(made_by_, storage) == &chain) {
            made_by_.erase(storage);
        }
        if (chain.left.contains(storage)) {
            roots_.erase(storage);
        }
    }
    for (const BytesOfPlaces* places : {&chain.read, &chain.had}) {
        for (const auto& [place, count] : *places) {
            if (found_in(read_by_, place) == &chain) {
                read_by_.erase(place);
            }
        }
    }
}

const BytesOfPlaces* Chains::roots_of(std::uint64_t storage) const {
    const auto found = roots_.find(storage);
    return found == roots_.end() ? nullptr : &found->second;
}

void Chains::remember(std::uint64_t storage, const BytesOfPlaces& roots) {
    if (roots_.insert_or_assign(storage, roots).second) {
        remembered_.push_back(storage);
    }
    // A storage that lost its roots and got new ones is listed twice, and is dropped with its first entry.
    while (remembered_.size() > most_remembered) {
        roots_.erase(remembered_.front());
        remembered_.pop_front();
    }
}

}  // namespace sim::torch::prices
